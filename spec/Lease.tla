--------------------------------- MODULE Lease ---------------------------------
(* The clocks of the lease of a shard. Ownership.tla shows that no clock matters to the log. Here
   the question is: can a node begin a delivery while another node owns the shard? Mail would then
   be delivered twice.

   The lease is a time of the database's clock. A node knows only its own clock, which never goes
   back (System.nanoTime). It counts from the moment before it sent the renewal that succeeded, so
   its count is never behind the database's. It begins no delivery when that moment is older than
   Safe. The rest of the lease is for a delivery that was decided just before.

   Three things are allowed to break this, and nothing else: a node that is stopped between its
   look at the clock and the delivery, a clock of the database that jumps forward, and a node whose
   own clock stands still. The first two are here. *)
EXTENDS Naturals

CONSTANTS
    Nodes,
    Length,             \* of the lease, in seconds
    Safe,               \* a node begins deliveries for so long
    MostTime,
    MostPauses,
    CountsFromSending,  \* FALSE: a node counts from the answer
    LeavesAfterDeliveries   \* a node hands a shard over when its deliveries have ended

None == "none"

VARIABLES
    now,        \* of all clocks
    owner, until,
    believes,   \* believes[n]: n thinks that it owns the shard
    since,      \* since[n]: the moment from which n counts
    request,    \* request[n]: "none", "sent", "yes", "no" or "leave"
    sent,       \* sent[n]: when the request left
    looked,     \* looked[n]: when n decided to begin a delivery; MostTime + 1: it did not
    paused, wasPaused, pauses,
    stale       \* a delivery began that must not

vars == <<now, owner, until, believes, since, request, sent, looked, paused, wasPaused, pauses, stale>>

Never == MostTime + 1

Init ==
    /\ now = 0 /\ owner = None /\ until = 0
    /\ believes = [n \in Nodes |-> FALSE]
    /\ since = [n \in Nodes |-> 0]
    /\ request = [n \in Nodes |-> "none"]
    /\ sent = [n \in Nodes |-> 0]
    /\ looked = [n \in Nodes |-> Never]
    /\ paused = [n \in Nodes |-> FALSE]
    /\ wasPaused = [n \in Nodes |-> FALSE]
    /\ pauses = 0 /\ stale = FALSE

Runs(n) == ~paused[n]

Send(n) ==
    /\ Runs(n) /\ request[n] = "none"
    /\ request' = [request EXCEPT ![n] = "sent"]
    /\ sent' = [sent EXCEPT ![n] = now]
    /\ UNCHANGED <<now, owner, until, believes, since, looked, paused, wasPaused, pauses, stale>>

\* The database: one statement for a claim and for a renewal. It may come as late as it likes.
Decide(n) ==
    /\ request[n] = "sent"
    /\ IF owner = n \/ now >= until
       THEN /\ owner' = n /\ until' = now + Length
            /\ request' = [request EXCEPT ![n] = "yes"]
       ELSE /\ request' = [request EXCEPT ![n] = "no"]
            /\ UNCHANGED <<owner, until>>
    /\ UNCHANGED <<now, believes, since, sent, looked, paused, wasPaused, pauses, stale>>

\* The answer arrives, or is lost.
Hear(n) ==
    /\ Runs(n) /\ request[n] \in {"yes", "no"}
    /\ request' = [request EXCEPT ![n] = "none"]
    /\ believes' = [believes EXCEPT ![n] = request[n] = "yes"]
    /\ since' = [since EXCEPT ![n] = IF CountsFromSending THEN sent[n] ELSE now]
    /\ UNCHANGED <<now, owner, until, sent, looked, paused, wasPaused, pauses, stale>>

\* The shard moves: its owner gives the lease up, and another node need not wait for its end.
Leave(n) ==
    /\ Runs(n) /\ believes[n] /\ request[n] = "none"
    /\ LeavesAfterDeliveries => looked[n] = Never
    /\ believes' = [believes EXCEPT ![n] = FALSE]
    /\ request' = [request EXCEPT ![n] = "leave"]
    /\ UNCHANGED <<now, owner, until, since, sent, looked, paused, wasPaused, pauses, stale>>

\* Arrives at the database, as late as it likes.
Free(n) ==
    /\ request[n] = "leave"
    /\ IF owner = n THEN owner' = None /\ until' = now ELSE UNCHANGED <<owner, until>>
    /\ request' = [request EXCEPT ![n] = "none"]
    /\ UNCHANGED <<now, believes, since, sent, looked, paused, wasPaused, pauses, stale>>

Lost(n) ==
    /\ request[n] # "none"
    /\ request' = [request EXCEPT ![n] = "none"]
    /\ UNCHANGED <<now, owner, until, believes, since, sent, looked, paused, wasPaused, pauses, stale>>

Look(n) ==
    /\ Runs(n) /\ believes[n] /\ looked[n] = Never
    /\ now - since[n] < Safe
    /\ looked' = [looked EXCEPT ![n] = now]
    /\ wasPaused' = [wasPaused EXCEPT ![n] = FALSE]
    /\ UNCHANGED <<now, owner, until, believes, since, request, sent, paused, pauses, stale>>

Begin(n) ==
    /\ Runs(n) /\ looked[n] # Never
    /\ looked' = [looked EXCEPT ![n] = Never]
    /\ stale' = (stale \/ (owner # n /\ ~wasPaused[n]))
    /\ UNCHANGED <<now, owner, until, believes, since, request, sent, paused, wasPaused, pauses>>

Pause(n) ==
    /\ Runs(n) /\ pauses < MostPauses
    /\ paused' = [paused EXCEPT ![n] = TRUE]
    /\ wasPaused' = [wasPaused EXCEPT ![n] = TRUE]
    /\ pauses' = pauses + 1
    /\ UNCHANGED <<now, owner, until, believes, since, request, sent, looked, stale>>

Wake(n) ==
    /\ paused[n]
    /\ paused' = [paused EXCEPT ![n] = FALSE]
    /\ UNCHANGED <<now, owner, until, believes, since, request, sent, looked, wasPaused, pauses, stale>>

\* A thread that runs begins its delivery within the rest of the lease.
Tick ==
    /\ now < MostTime
    /\ \A n \in Nodes : Runs(n) /\ looked[n] # Never => now + 1 - looked[n] < Length - Safe
    /\ now' = now + 1
    /\ UNCHANGED <<owner, until, believes, since, request, sent, looked, paused, wasPaused, pauses, stale>>

Next == Tick \/ \E n \in Nodes :
    \/ Send(n) \/ Decide(n) \/ Hear(n) \/ Lost(n) \/ Leave(n) \/ Free(n)
    \/ Look(n) \/ Begin(n) \/ Pause(n) \/ Wake(n)

Spec == Init /\ [][Next]_vars

NoStaleDelivery == ~stale
=============================================================================
