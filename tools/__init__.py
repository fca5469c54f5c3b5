"""What the commands of course.py run."""


class Problem(Exception):
    """Something that the user can fix; its text says what it is and how to fix it."""
