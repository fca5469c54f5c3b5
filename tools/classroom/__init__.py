"""The class view: where a class is stuck, what it has solved, and which mistakes it makes, from attempts.jsonl files.

records    find and read the files of all students; anything in them may be damaged, foreign or hostile
catalog    the course's own texts about exercises and misconceptions
summary    the numbers
page       the numbers as a single HTML file
__main__   `python course.py class FOLDER...`
equal      `python course.py equal FOLDER...`: which submitted answers are the same code
"""
