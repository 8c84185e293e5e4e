FIGURES = []
TITLE = ""
