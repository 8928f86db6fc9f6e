"""The small widgets between transcript and composer, and the bars below: each shows what it is given."""
