"""What a session makes of the things it hears: copies, shared memory, lost gradients, values that change."""
