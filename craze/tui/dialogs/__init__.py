"""What asks the person: panels above the composer, and dialogs over the screen."""
