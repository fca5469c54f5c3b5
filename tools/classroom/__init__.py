"""The class view: what a class has solved, where it is stuck, and which mistakes it makes, from its attempts files.

records    find and read the files of all students; anything in them may be damaged, foreign or hostile
catalog    the course's own texts about exercises, misconceptions and predictions
summary    the numbers
page       the numbers as a single HTML file
__main__   `python course.py class FOLDER...`
"""
