package org.slipstream.console;

import org.slipstream.picture.Markup;

/// A page without its frame.
///
/// @param live the part that is exchanged each second; without anything that belongs to one visitor
/// @param rest the part that stays, with forms
/// @param moves true when the live part is exchanged
record PageView(String title, Markup live, Markup rest, boolean moves) {
    static PageView moving(String title, Markup live, Markup rest) {
        return new PageView(title, live, rest, true);
    }

    static PageView still(String title, Markup rest) {
        return new PageView(title, Markup.NONE, rest, false);
    }
}
