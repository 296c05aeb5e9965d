package org.slipstream.spool.register;

import org.slipstream.core.QueueFilter;
import org.slipstream.core.QueueId;

import java.util.Optional;
import java.util.Set;

/// What is looked for in the register. It knows which messages are held; which of the others somebody works on now, its caller
/// says.
///
/// @param filter its states other than held mean: not held
/// @param among only these, if given
/// @param except and none of these
public record Search(QueueFilter filter, Optional<Set<QueueId>> among, Set<QueueId> except) {
    public Search {
        among = among.map(Set::copyOf);
        except = Set.copyOf(except);
    }

    public static Search of(QueueFilter filter) {
        return new Search(filter, Optional.empty(), Set.of());
    }

    public static Search among(Set<QueueId> ids, QueueFilter filter) {
        return new Search(filter, Optional.of(ids), Set.of());
    }
}
