package org.slipstream.qmgr.settings;

import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.place.PlaceRules;

/// The settings that an operator has given to a running queue manager.
///
/// @param smtp the placement's rules of SMTP
public record ChangedSettings(QmgrConfig config, PlaceRules smtp) implements QmgrEvent.NewSettings {}
