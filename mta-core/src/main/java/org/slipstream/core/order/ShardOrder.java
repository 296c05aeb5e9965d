package org.slipstream.core.order;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// An order for one shard of the server.
public sealed interface ShardOrder {
    /// Consequence of an order for the last shard that takes mail.
    String FORCE = "also when no other shard takes mail; new mail is answered with 451 then";

    @Verb(value = "add", right = Right.ADMINISTRATE, does = "Opens one more shard.",
            more = "It takes new mail at once. Mail that is queued stays where it is. `shard.maximum` is the limit, in"
                    + " each mode of `shard.mode`.",
            did = "open", examples = "shard add")
    record Add() implements ShardOrder {}

    @Verb(value = "drain", right = Right.ADMINISTRATE,
            does = "Moves the mail of a shard to the others and closes it.",
            more = "It takes no new mail. Deliveries in progress are finished. When `shard list` shows it as closed, its"
                    + " folder can be removed. The shard with the smallest number cannot be drained, because its spool"
                    + " keeps the records of hosts and the suspensions.",
            did = "drained", examples = {"shard drain 2", "shard list"})
    record Drain(@Argument(FORCE) boolean force) implements ShardOrder {}

    @Verb(value = "enable", right = Right.OPERATE,
            does = "A shard that was disabled, held or drained takes mail and delivers again.", did = "enabled",
            examples = "shard enable 2")
    record Enable() implements ShardOrder {}

    @Verb(value = "disable", right = Right.OPERATE, does = "A shard takes no new mail; its deliveries go on.",
            more = "A restart keeps it disabled. `enable` ends that.", did = "disabled", examples = "shard disable 2")
    record Disable(@Argument(FORCE) boolean force) implements ShardOrder {}

    @Verb(value = "hold", right = Right.OPERATE, does = "A shard takes mail and starts no delivery.",
            more = "Deliveries in progress end. A restart keeps it held. `enable` ends that.", did = "held",
            examples = "shard hold 2")
    record Hold() implements ShardOrder {}

    @Verb(value = "load", right = Right.OPERATE,
            does = "Sets the load of a shard by hand, or measures it again.",
            more = "Placement of new mail and the growth of `dynamic` mode use it; limits of deliveries do not change. It"
                    + " ends with `auto` or with the process.",
            did = "loaded", examples = {"shard load 2 2/10 5/20", "shard load 2 90", "shard load 2 auto"})
    record Load(@Argument(value = "use and limit such as 2/10, a percentage such as 45, or auto: as measured",
            label = "LOCAL", required = true, positional = true) String local,
            @Argument(value = "the same; without it as LOCAL", label = "REMOTE", positional = true) String remote)
            implements
                ShardOrder {
        public Load {
            remote = remote.isEmpty() ? local : remote;
            if (!isUse(local) || !isUse(remote)) {
                throw new IllegalArgumentException("local and remote must be use and limit such as 2/10, a percentage"
                        + " such as 45, or " + MEASURED);
            }
        }

        private static boolean isUse(String text) {
            return text.equals(MEASURED) || USE.matcher(text).matches();
        }
    }

    @Verb(value = "move", right = Right.ADMINISTRATE, does = "Hands a shard over to another node of the cluster.",
            more = "Its owner ends the deliveries in progress, for up to 9 s, and the other node goes on with its queue"
                    + " at once. `cluster status` shows the owners.",
            did = "moving", examples = "shard move 2 --to b")
    record Move(@Argument(value = "name of the node", label = "NODE", required = true, max = 64) String to)
            implements
                ShardOrder {}

    /// `2/10`, or `45` for 45 %.
    Pattern USE = Pattern.compile("([0-9]{1,6})(?:/([0-9]{1,6}))?");
    String MEASURED = "auto";

    /// Use and limit of one side of a shard.
    record HandUse(int used, int limit) {
        private static final int PERCENT = 100;

        /// @param text of a [Load]; empty for `auto`
        public static Optional<HandUse> of(String text) {
            Matcher use = USE.matcher(text);
            return use.matches()
                    ? Optional.of(new HandUse(Integer.parseInt(use.group(1)),
                            Optional.ofNullable(use.group(2)).map(Integer::parseInt).orElse(PERCENT)))
                    : Optional.empty();
        }
    }
}
