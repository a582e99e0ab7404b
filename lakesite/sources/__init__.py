"""Reading: from files to masked events. All tolerance for damaged input lives here."""
