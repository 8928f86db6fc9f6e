"""Screens: they compose panels, and turn what widgets say into intents."""
