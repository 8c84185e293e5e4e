"""The drawings of all figures: no words lie on words or on data, and marks are the numbers of what the words name."""

import dataclasses
import html
import itertools
import pathlib
import re
import unittest

BENCH = pathlib.Path(__file__).resolve().parent.parent
import plot
from figures import catalogue, cluster22_scaling, draw, page, store
from figures.model import Figure, Panel, Result, Row

MADE = Figure("made.1", "Fig. 1", "", "", {"panel": Panel("cores", "seconds")}, None, "")
PYPLOT = plot.import_pyplot()


def result(x, published, *values, series="ours", panel="panel"):
    return Result(Row(panel, series, x, (), None, published), list(values))


def words_of(drawing):
    """All words in sight."""
    found = [text for legend in drawing.legends for text in legend.get_texts()]
    for axis in drawing.axes:
        found += [axis.title, axis.xaxis.label, axis.yaxis.label] if axis.get_visible() else []
        for side in (axis.xaxis, axis.yaxis) if axis.get_visible() else ():
            low, high = sorted(side.get_view_interval())
            found += [words for tick in side.get_major_ticks() if low <= tick.get_loc() <= high
                      for words in (tick.label1, tick.label2)]
    return [text for text in found if text.get_visible() and text.get_text()]


def points_of(axis, colour, hollow):
    """Where marks lie."""
    return [point for line in axis.lines if line.get_color() == colour and line.get_marker() != "None"
            and (line.get_markerfacecolor() == "none") == hollow for point in zip(line.get_xdata(), line.get_ydata())]


class DrawTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        draw.style(PYPLOT)
        kept, cls.drawn = store.load(), []
        for entry in filter(lambda each: each.is_drawn, catalogue.measured()):
            results = entry.results("page", kept)
            drawing = draw.drawing_of(entry, results, kept, PYPLOT)
            if entry.draw:
                drawing.draw_without_rendering()
            PYPLOT.close(drawing)
            cls.drawn.append((entry, results, drawing))

    def test_no_words_lie_on_words_or_data_and_all_are_legible(self):
        for entry, _, drawing in self.drawn:
            with self.subTest(figure=entry.name):
                found = [(words.get_text(), words.get_window_extent()) for words in words_of(drawing)]
                self.assertEqual([(one, other) for (one, here), (other, there) in itertools.combinations(found, 2)
                                  if here.overlaps(there)], [])
                for legend, axis in itertools.product(drawing.legends, drawing.axes):
                    self.assertFalse(legend.get_window_extent().overlaps(axis.get_window_extent()), axis.get_title())
                # Of a page with some 900 pixels a word is at least a seventieth high.
                boxes = [box for _, box in found]
                self.assertLess(max(box.x1 for box in boxes) - min(box.x0 for box in boxes), 9.4 * drawing.dpi)
                self.assertGreaterEqual(min(words.get_fontsize() for words in words_of(drawing)), 10)

    def test_files_have_the_words_of_the_drawings(self):
        for entry, _, drawing in self.drawn:
            with self.subTest(figure=entry.name):
                written = re.findall(">([^<>]+)</text>", page.drawing_of(entry, BENCH).read_text())
                drawn = [line for words in words_of(drawing) for line in words.get_text().split("\n")]
                # Not all matplotlibs choose the same numbers beside an axis.
                self.assertEqual(*({html.unescape(line) for line in lines if re.search("[a-z]", line)}
                                   for lines in (written, drawn)))

    def test_marks_are_the_numbers_of_what_the_words_name(self):
        for entry, results, drawing in self.drawn:
            panels = draw.panels_of(entry, results)
            colours = {text.get_text(): line.get_color() for legend in drawing.legends
                       for text, line in zip(legend.get_texts(), legend.get_lines())}
            axes = {axis.get_title().replace("\n", " "): axis for axis in drawing.axes if axis.get_visible()}
            for name, one in ((name, one) for name, found in panels.items() for one in found if not entry.draw):
                with self.subTest(figure=entry.name, panel=name, series=one.row.series, x=one.row.x):
                    self.check(axes[name], name in entry.panels, one, colours.get(one.row.series, "black"))

    def check(self, axis, lined, one, colour):
        """The mark of a result is where it belongs, and beside it that of the published number."""
        row, ours = one.row, one.middle
        filled, hollow = (points_of(axis, colour, hollow) for hollow in (False, True))
        is_number = isinstance(row.published, (int, float))
        if lined:
            self.assertIn((row.x, ours), filled)
            self.assertTrue(not is_number or (row.x, row.published) in hollow)
            return
        named = {y: axis.yaxis.get_major_formatter()(round(y)) for value, y in filled if value == ours}
        places = [y for y, words in named.items() if (
            row.series in words if colour == "black" else str(row.x) in words or row.series in words)]
        self.assertTrue(places)
        self.assertTrue(not is_number or any((row.published, y) in hollow for y in places))

    def test_limits_and_ranges(self):
        results = [result(2, (None, 4.0), 1.0, 3.0), result(4, (3.0, 4.0), 5.0, series="other")]
        drawing = draw.drawing_of(MADE, results, {}, PYPLOT)
        [axis] = drawing.axes
        shown = {line.get_marker(): list(zip(line.get_xdata(), line.get_ydata())) for line in axis.lines}
        self.assertEqual((shown[11], shown["_"]), ([(2, 4.0)], [(4, 3.0), (4, 4.0)]))
        self.assertEqual([words.get_text() for words in drawing.legends[0].get_texts()], [
            "ours", "other", "ours, range over seeds", "published: at most", "published: from, to"])

    def test_panels_of_a_narrow_drawing_lie_one_below_the_other(self):
        figure = dataclasses.replace(MADE, panels={"panel": MADE.panels["panel"], "other": MADE.panels["panel"]})
        results = [result(x, None, x, panel=panel) for panel in figure.panels for x in (1, 2)]
        for width, apart in ((draw.WIDTH, True), (4, False)):
            drawing = draw.drawing_of(figure, results, {}, PYPLOT, width, lambda series: "red")
            left, right = (axis.get_window_extent().x0 for axis in drawing.axes)
            self.assertEqual(right - left > 100, apart)
            self.assertEqual({line.get_color() for axis in drawing.axes for line in axis.lines}, {"red"})

    def test_efficiencies_are_by_the_same_system_s_one_core(self):
        results = [result(1, 2.0, 3.0), result(4, 6.0, 9.0), result(1, None, 5.0, series="serial")]
        [axis] = cluster22_scaling.draw_efficiencies(MADE, results, PYPLOT).axes
        self.assertEqual(points_of(axis, "#1f77b4", False), [(1, 1.0), (4, 0.75)])
        self.assertEqual(points_of(axis, "#1f77b4", True), [(1, 1.0), (4, 0.75)])

    def test_coordinates_are_shortened_and_words_are_not(self):
        self.assertEqual(draw.shortened('<svg><text x="1.2345">0.00575</text></svg>'),
                         '<svg><text x="1.2">0.00575</text></svg>')
