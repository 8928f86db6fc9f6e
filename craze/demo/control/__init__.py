"""A scripted agent that speaks the control channel: the counterpart of the control provider, for tests and for a look."""
