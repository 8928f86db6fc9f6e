"""A session without a screen: it gets a `Session` alone, prints what happens and decides when the run is over."""
