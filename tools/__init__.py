"""What the maintainers' commands of course.py run."""
