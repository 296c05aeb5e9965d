package org.slipstream.server.pictures;

import java.util.ArrayList;
import java.util.List;

/// A picture of boxes, arrows and texts as SVG, with a background of its own so that it can be read
/// on light and dark pages.
///
/// Texts neither leave their box nor overlap: a drawing with such a fault ends with an exception.
final class Drawing {
    static final int LINE = 18;
    private static final int MARGIN = 12;
    private static final double LETTER = 6.9;
    private static final String STYLE = """
            <style>
            text { fill: #1b1b1b; font: 12px "Segoe UI", Helvetica, Arial, "DejaVu Sans", sans-serif; }
            .head { font-size: 17px; font-weight: bold; } .bold { font-weight: bold; } .soft { fill: #595959; }
            .paper { fill: #ffffff; stroke: #c8c8c8; } .box { fill: #f6f6f4; stroke: #8c8c8c; }
            .c0 { fill: #fdf0d2; stroke: #b57d00; } .c1 { fill: #dcf0fb; stroke: #2b7fb0; }
            .c2 { fill: #d9f2e9; stroke: #1c8062; } .c3 { fill: #f6e3ee; stroke: #a6517f; }
            .arrow { fill: none; stroke: #595959; stroke-width: 1.4; marker-end: url(#tip); }
            </style>
            <defs><marker id="tip" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" markerHeight="8" orient="auto-start-reverse">\
            <path d="M0 0 L10 5 L0 10 z" fill="#595959"/></marker></defs>
            """;

    private record Area(double left, double top, double right, double bottom, String text) {
        boolean overlaps(Area other) {
            return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
        }
    }

    private final int width;
    private final String title;
    private final StringBuilder parts = new StringBuilder();
    private final List<Area> texts = new ArrayList<>();

    Drawing(int width, String title) {
        this.width = width;
        this.title = title;
        text(24, 34, "head", title);
    }

    /// Units that a text takes.
    static double width(String text) {
        return text.length() * LETTER;
    }

    /// @param y of the base line of the text
    Drawing text(double x, double y, String style, String text) {
        return text(x, y, style, "start", text);
    }

    Drawing centred(double x, double y, String style, String text) {
        return text(x, y, style, "middle", text);
    }

    private Drawing text(double x, double y, String style, String anchor, String text) {
        double wide = text.length()
                * (style.contains("head") ? LETTER * 1.5 : style.contains("bold") ? LETTER * 1.1 : LETTER);
        double left = anchor.equals("middle") ? x - wide / 2 : x;
        Area area = new Area(left, y - 10, left + wide, y + 3, text);
        texts.stream().filter(area::overlaps).findFirst().ifPresent(other -> {
            throw new IllegalStateException("\"" + text + "\" overlaps \"" + other.text() + "\"");
        });
        if (left < 0 || left + wide > width) {
            throw new IllegalStateException("\"" + text + "\" leaves the picture");
        }
        texts.add(area);
        parts.append(
                "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>%n".formatted(style, x, y, anchor,
                        escaped(text)));
        return this;
    }

    /// A box with a title and lines below it.
    ///
    /// @return its lower edge
    double box(double x, double y, double wide, String style, String head, List<String> lines) {
        double high = MARGIN + LINE * (lines.size() + 1);
        frame(x, y, wide, high, style);
        text(x + MARGIN, y + LINE, "bold", fitting(head, wide));
        for (int i = 0; i < lines.size(); i++) {
            text(x + MARGIN, y + LINE * (i + 2), "", fitting(lines.get(i), wide));
        }
        return y + high;
    }

    private static String fitting(String text, double wide) {
        if (width(text) + 2 * MARGIN > wide) {
            throw new IllegalStateException("\"" + text + "\" leaves its box of " + wide);
        }
        return text;
    }

    Drawing frame(double x, double y, double wide, double high, String style) {
        parts.append("<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"6\"/>%n".formatted(
                style, x, y,
                wide, high));
        return this;
    }

    /// An arrow through these points.
    Drawing arrow(double... points) {
        StringBuilder path = new StringBuilder();
        for (int i = 0; i < points.length; i += 2) {
            path.append("%s%.1f %.1f".formatted(i == 0 ? "M" : " L", points[i], points[i + 1]));
        }
        parts.append("<path class=\"arrow\" d=\"").append(path).append("\"/>\n");
        return this;
    }

    /// @param caption lines below the picture
    String svg(double bottom, String... caption) {
        double y = bottom + 30;
        for (String line : caption) {
            text(24, y, "soft", line);
            y += LINE;
        }
        int height = (int) y + 4;
        return """
                <svg xmlns="http://www.w3.org/2000/svg" width="%1$d" height="%2$d" viewBox="0 0 %1$d %2$d" role="img" aria-labelledby="title">
                <title id="title">%3$s</title>
                """.formatted(width, height, escaped(title)) + STYLE
                + "<rect class=\"paper\" x=\"0.5\" y=\"0.5\" width=\"%d\" height=\"%d\" rx=\"8\"/>%n".formatted(
                        width - 1,
                        height - 1)
                + parts + "</svg>\n";
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}
