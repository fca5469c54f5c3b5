"""The questions that `predict` asks, one file for each notebook: n02.py holds those of notebook 02, in order.

The id is the notebook's number and a word, such as "02.cards". A question earns its place when a known misconception
waits behind one of its answers, and when it can be answered from what came before. What is said about a choice never
gives the output away.
"""
