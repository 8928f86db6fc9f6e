"""What the person chose: places, settings, agents, answers, trust. Knows no engine, no agent and no screen."""
