"""What a trained representation is put to: objectives whose answers come from the user."""
