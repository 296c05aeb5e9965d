package org.slipstream.spool.log;

/// Where a message is stored: segment and offset of its record.
///
/// @param segment number of the segment, from 1, never used twice
/// @param offset of the record in the segment's file
/// @param ownFile true when the record holds the envelope only and the content has a file of its
///     own
public record RecordPlace(long segment, long offset, boolean ownFile) {}
