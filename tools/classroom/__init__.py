"""The class view: what a class has solved, where it is stuck, and which mistakes it makes, from attempts.jsonl files.

records    find and read the files of all students, whose content may be damaged, foreign or hostile
catalog    the course's own texts about exercises and misconceptions
summary    the numbers
page       the numbers as a single HTML file
__main__   `python course.py class FOLDER...`
equal      `python course.py equal FOLDER...`: which submitted answers are the same code
"""
