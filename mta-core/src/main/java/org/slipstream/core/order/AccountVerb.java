package org.slipstream.core.order;

/// An order about a user whose mail is unlike before.
public sealed interface AccountVerb {
    @Verb(value = "release", right = Right.ADMINISTRATE,
            does = "Ends the hold of a user's mail: what was held goes out, and new mail is as before.",
            more = "The present mail of the user counts as usual from now on. With --delete the held mail is deleted"
                    + " instead, without a report. Mail that an operator holds stays.",
            did = "released", examples = {"user release alice", "user release alice --delete"})
    record Release(
            @Argument(value = "the user, as in `user list`", label = "NAME", required = true,
                    positional = true) String name,
            @Argument("deletes the held mail") boolean delete,
            @Argument(value = Argument.AUTHOR, label = "NAME") String author)
            implements
                AccountVerb {}
}
