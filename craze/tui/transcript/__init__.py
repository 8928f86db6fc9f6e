"""What was said and done: events folded into blocks, blocks measured and painted, and the one view that shows them."""
