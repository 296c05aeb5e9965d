package org.slipstream.dist.desk;

import org.slipstream.smtpout.WirePhase;

import java.util.List;
import java.util.Optional;
import java.util.function.LongFunction;

/// The sources of [QueuePicture] besides the register and the queue manager.
///
/// @param delivers false when `queue.deliver` is
/// @param wire what the connection of this number does
/// @param suspended the hosts that are left alone at a time; asked on the queue manager's thread
public record Surroundings(boolean delivers, LongFunction<Optional<WirePhase>> wire,
        LongFunction<List<SuspendedHost>> suspended) {}
