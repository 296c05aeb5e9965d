package org.slipstream.picture;

import org.slipstream.picture.TimeAxis.Busy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// Rows with strips and marks on one time axis, for a page whose style sheet has the colors of their kinds.
/// Long times without an event are shortened. Everything behind the moment of the element `later` is covered, so
/// a script shows any moment by moving one rectangle.
public final class StripPicture {
    private static final Template PICTURE = Template.of(StripPicture.class, "/picture/strips.html");
    private static final int LEFT = 150;
    private static final int RIGHT = Picture.RIGHT - 12;
    private static final int ROW = 18;
    private static final int BAR = 12;
    private static final int TOP = 6;

    private final List<StripRow> rows;
    private final TimeAxis axis;

    /// A row; a click on it means its key.
    ///
    /// @param key empty for a row that is not to be clicked
    public record StripRow(String name, String key, String title, List<Strip> strips, List<StripMark> marks) {
        public StripRow {
            strips = List.copyOf(strips);
            marks = List.copyOf(marks);
        }
    }

    /// @param kind a class of the style sheet
    public record Strip(long fromMillis, long toMillis, String kind, String title) {}

    /// @param kind a class of the style sheet
    public record StripMark(long atMillis, String kind, String title) {}

    /// @param moments when something happens, in their order
    public StripPicture(List<StripRow> rows, List<Long> moments) {
        this.rows = List.copyOf(rows);
        this.axis = new TimeAxis(moments.stream().map(each -> new Busy(each, each)).toList(), LEFT, RIGHT);
    }

    /// The place of a time in the picture.
    public String x(long millis) {
        return TimeAxis.number(axis.x(millis));
    }

    public Markup markup(String description) {
        int bottom = TOP + rows.size() * ROW;
        Map<String, Object> values = new TreeMap<>();
        values.put("description", description);
        values.put("width", Picture.WIDTH);
        values.put("height", bottom + 24);
        values.put("bottom", bottom);
        values.put("right", RIGHT);
        values.put("left", LEFT);
        values.put("ticks", Picture.ticks(axis, 0, bottom));
        values.put("gaps", axis.gaps().stream().map(part -> Map.of("x", TimeAxis.number(part.left()), "w",
                TimeAxis.number(part.right() - part.left()), "label-x",
                TimeAxis.number((part.left() + part.right()) / 2), "text", Picture.gap(part))).toList());
        List<Map<String, Object>> drawn = new ArrayList<>();
        for (int i = 0; i < rows.size(); i++) {
            drawn.add(row(rows.get(i), TOP + i * ROW));
        }
        values.put("rows", drawn);
        return PICTURE.markup(values);
    }

    private Map<String, Object> row(StripRow row, int y) {
        Map<String, Object> values = new TreeMap<>();
        values.put("name", row.name());
        values.put("key", row.key().isEmpty() ? List.of() : List.of(row.key()));
        values.put("title", row.title());
        values.put("top", y);
        values.put("row-height", ROW);
        values.put("name-x", LEFT - 8);
        values.put("name-y", y + BAR);
        values.put("strips", row.strips().stream().map(each -> Map.of("x", x(each.fromMillis()), "w",
                TimeAxis.number(Math.max(1.5, axis.x(each.toMillis()) - axis.x(each.fromMillis()))), "y", y + 2, "h",
                BAR, "kind", each.kind(), "title", each.title())).toList());
        values.put("marks", row.marks().stream().map(each -> Map.of("x", x(each.atMillis()), "y", y, "kind",
                each.kind(), "title", each.title())).toList());
        return values;
    }
}
