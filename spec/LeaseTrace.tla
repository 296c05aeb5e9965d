------------------------------ MODULE LeaseTrace ------------------------------
(* Is what real nodes did a history of Lease? The module Recorded has for each shard the leases that
   the database gave, with its times, and the deliveries of the decision journals of the nodes, with
   theirs. So the machine's clock is one, and a history is a sequence.

   The journal has the order for a delivery, and its end. In between the node may have waited for its
   lease. So a delivery is explained when its node could begin one at a recorded moment from the order
   on. *)
EXTENDS Lease, Recorded, TLC, Sequences

VARIABLES
    shard,
    event,      \* the next one
    step,       \* of the event, from 0
    could       \* could[n]: when n last could begin a delivery

traceVars == <<now, owner, until, believes, since, request, sent, looked, paused, wasPaused, pauses, stale, shard,
               event, step, could>>

Events == Shards[shard].leases
HasEvent == event <= Len(Events)

TraceInit ==
    /\ Init
    /\ shard \in 1..Len(Shards)
    /\ event = 1 /\ step = 0
    /\ could = [n \in Nodes |-> 0]

Stays == UNCHANGED could
MayLook(n) == Runs(n) /\ believes[n] /\ looked[n] = Never /\ now - since[n] < Safe

\* As many steps Tick.
Moves(t) ==
    /\ t >= now /\ now' = t /\ Stays
    /\ UNCHANGED <<owner, until, believes, since, request, sent, looked, paused, wasPaused, pauses, stale>>

Step(e, n) ==
    CASE step = 0 -> Moves(e.at) /\ step' = 1 /\ event' = event
      [] e.is = "lease" /\ step = 1 -> Send(n) /\ Stays /\ step' = 2 /\ event' = event
      [] e.is = "lease" /\ step = 2 -> Decide(n) /\ request'[n] = "yes" /\ Stays /\ step' = 3 /\ event' = event
      [] e.is = "lease" /\ step = 3 -> Hear(n) /\ Stays /\ step' = 0 /\ event' = event + 1
      [] e.is = "release" /\ step = 1 -> Leave(n) /\ Stays /\ step' = 2 /\ event' = event
      [] e.is = "release" /\ step = 2 -> Free(n) /\ Stays /\ step' = 0 /\ event' = event + 1
      [] e.is \in {"order", "end"} /\ step = 1 /\ MayLook(n) -> Look(n) /\ Stays /\ step' = 2 /\ event' = event
      [] e.is \in {"order", "end"} /\ step = 2 ->
            Begin(n) /\ could' = [could EXCEPT ![n] = now] /\ step' = 3 /\ event' = event
      [] OTHER -> \* of an order or an end
            /\ e.is = "end" => could[n] >= e.from
            /\ step' = 0 /\ event' = event + 1 /\ Stays /\ UNCHANGED vars

TraceNext == shard' = shard /\ HasEvent /\ Step(Events[event], Events[event].by)

TraceSpec == TraceInit /\ [][TraceNext]_traceVars

ASSUME \A k \in 1..Len(Shards) : TLCSet(k, 0)

\* Holds always: it prints how far each shard was explained.
Progress ==
    /\ event > TLCGet(shard) => TLCSet(shard, event) /\ PrintT(<<"reached", Shards[shard].number, event>>)
    /\ ~HasEvent => PrintT(<<"explained", Shards[shard].number>>)
=============================================================================
