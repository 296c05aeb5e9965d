package org.slipstream.qmgr;

/// CONTRACT STUB: the meeting point of the brain's two halves, shaped by the mta-qmgr room in this issue.
public interface Seating {}
