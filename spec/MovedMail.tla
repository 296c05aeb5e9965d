------------------------------- MODULE MovedMail -------------------------------
(* One message moves from the log of the old shard to that of the new one. The logs may lie on
   different disks, or one of them in PostgreSQL, so no transaction is common to both.

   The message is written into the new log first, and leaves the old one after that is durable.
   The new queue manager hears of it last. A stop in the middle leaves two copies, and the next
   start removes one of them before any delivery. Which one? The new copy, when it has the state of
   the old one, because the old queue manager has then done nothing since. The old one otherwise:
   then the new copy is of a write that was refused, and the old queue manager went on.

   A write that is refused may be on the disk nevertheless. This is the hard case. *)
EXTENDS Naturals

CONSTANTS
    MostCrashes,
    MostAttempts,
    MostRefusals,
    OldLeavesAfter,     \* the old log keeps the message until the new one has it
    SweepsFirst,        \* a start removes one of two copies before any delivery
    ComparesStates      \* ... and keeps the new one only when it has the same state

VARIABLES
    old, new,       \* attempts that the durable copy knows of; Gone: no copy
    maybe,          \* the new log may have a copy that it refused: its state, or Gone
    moving,         \* "no", "taken": the new log has it, "left": the old one has it no more
    heldBy,         \* queue managers that may deliver
    attempts,       \* attempts that were begun
    delivered, crashes, refusals,
    repeated        \* an attempt that is on disk was forgotten

vars == <<old, new, maybe, moving, heldBy, attempts, delivered, crashes, refusals, repeated>>

Gone == MostAttempts + 1
Has(copy) == copy # Gone

Init ==
    /\ old = 0 /\ new = Gone /\ maybe = Gone /\ moving = "no"
    /\ heldBy = {"old"}
    /\ attempts = 0 /\ delivered = 0 /\ crashes = 0 /\ refusals = 0 /\ repeated = FALSE

Take ==
    /\ moving = "no" /\ heldBy = {"old"} /\ ~Has(maybe)
    /\ moving' = "taken"
    /\ IF OldLeavesAfter
       THEN new' = old /\ UNCHANGED old
       ELSE old' = Gone /\ UNCHANGED new
    /\ heldBy' = {}
    /\ UNCHANGED <<maybe, attempts, delivered, crashes, refusals, repeated>>

\* The new log refuses, and the old queue manager goes on. The octets may be there.
Refuse ==
    /\ moving = "no" /\ heldBy = {"old"} /\ refusals < MostRefusals
    /\ maybe' = old
    /\ refusals' = refusals + 1
    /\ UNCHANGED <<old, new, moving, heldBy, attempts, delivered, crashes, repeated>>

Leave ==
    /\ moving = "taken"
    /\ old' = Gone /\ moving' = "left"
    /\ new' = IF OldLeavesAfter THEN new ELSE attempts
    /\ UNCHANGED <<maybe, heldBy, attempts, delivered, crashes, refusals, repeated>>

Arrive ==
    /\ moving = "left"
    /\ heldBy' = {"new"} /\ moving' = "done"
    /\ UNCHANGED <<old, new, maybe, attempts, delivered, crashes, refusals, repeated>>

\* An attempt that defers the message, and is recorded.
Try(s) ==
    /\ s \in heldBy /\ attempts < MostAttempts
    /\ attempts' = attempts + 1
    /\ IF s = "old" THEN old' = attempts + 1 /\ UNCHANGED new ELSE new' = attempts + 1 /\ UNCHANGED old
    /\ UNCHANGED <<maybe, moving, heldBy, delivered, crashes, refusals, repeated>>

Deliver(s) ==
    /\ s \in heldBy
    /\ delivered' = delivered + 1
    /\ heldBy' = heldBy \ {s}
    /\ IF s = "old" THEN old' = Gone /\ UNCHANGED new ELSE new' = Gone /\ UNCHANGED old
    /\ UNCHANGED <<maybe, moving, attempts, crashes, refusals, repeated>>

\* A start after a kill or a power cut. The refused copy is there or not.
Crash ==
    /\ crashes < MostCrashes
    /\ crashes' = crashes + 1
    /\ \E found \in {new} \cup (IF Has(maybe) /\ ~Has(new) THEN {maybe} ELSE {}) :
          LET both == Has(old) /\ Has(found)
              keepsNew == ~ComparesStates \/ found = old
              o == IF both /\ SweepsFirst /\ keepsNew THEN Gone ELSE old
              n == IF both /\ SweepsFirst /\ ~keepsNew THEN Gone ELSE found
          IN /\ old' = o /\ new' = n
             /\ heldBy' = (IF Has(o) THEN {"old"} ELSE {}) \cup (IF Has(n) THEN {"new"} ELSE {})
             /\ repeated' = (repeated \/ (Has(old) /\ old > 0 /\ ~Has(o) /\ n < old))
    /\ maybe' = Gone
    /\ moving' = "no"
    /\ UNCHANGED <<attempts, delivered, refusals>>

Next == Take \/ Refuse \/ Leave \/ Arrive \/ Crash \/ \E s \in {"old", "new"} : Try(s) \/ Deliver(s)

Spec == Init /\ [][Next]_vars

NeverLost == delivered > 0 \/ Has(old) \/ Has(new)

\* A copy that was refused and is found after its message has left is the one case in which mail
\* is delivered twice: it needs a failed write and then a kill.
NeverTwice == delivered <= 1 + (IF refusals < crashes THEN refusals ELSE crashes)
NeverTwiceAtOnce == heldBy # {"old", "new"}
AttemptsAreKept == ~repeated
=============================================================================
