package org.slipstream.smtpout;

import org.slipstream.core.Envelope;
import org.slipstream.core.Letter;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;

import java.util.List;

/// One transaction to make: a message for some of its recipients.
///
/// @param delivery the number under which the outcome is reported
/// @param envelope sender and parameters; its own recipient list is not used
/// @param recipients whom this transaction is for
public record Parcel(long delivery, QueueId id, Envelope envelope, List<Recipient> recipients, Letter letter) {}
