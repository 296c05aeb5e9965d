---------------------------- MODULE OwnershipTrace ----------------------------
(* Is what real nodes did a history of Ownership? The module Recorded is written from a run: for each
   shard the rows that the database took, in its order, and the lines that each node logged, in that
   node's order. No clock orders a row and a line: TLC looks for an order in which each of them is the
   step of Ownership that its kind stands for. Steps that leave no record may come in between.

   A record that no history explains stops the search. Its place is the last that was printed. *)
EXTENDS Ownership, Recorded, TLC

VARIABLES
    shard,
    row,        \* the next row of the database
    line        \* line[n]: the next line of node n

traceVars == <<wal, waiting, copied, lock, mine, does, group, acked, refused, groups, failovers, shard, row, line>>

Rows == Shards[shard].rows
Lines(n) == Shards[shard].lines[n]
HasRow == row <= Len(Rows)
HasLine(n) == line[n] <= Len(Lines(n))

TraceInit ==
    /\ Init
    /\ shard \in 1..Len(Shards)
    /\ row = 1
    /\ line = [n \in Nodes |-> 1]

\* A change of the row of a shard: `by` is the session that made it.
Row(r) ==
    CASE r.is = "claim" -> Claim(r.by) /\ r.epoch = Epoch + 1
      \* A group, or the question that follows a cut.
      [] r.is = "write" -> /\ mine[r.by] = r.epoch
                           /\ (Commit(r.by) \/ Ask(r.by)) /\ Len(wal') > Len(wal)
      [] r.is = "renewal" -> Free /\ r.epoch = Epoch /\ wal[Visible].node = r.by /\ UNCHANGED vars
      \* The log of the shard was closed before.
      [] r.is = "release" -> /\ Free /\ r.epoch = Epoch /\ wal[Visible].node = r.by /\ mine[r.by] = 0
                             /\ UNCHANGED vars

Line(n, l) ==
    CASE l.is = "claimed" -> ClaimConfirmed(n) /\ mine'[n] = l.epoch
      [] l.is = "lost" -> /\ \E i \in 1..Visible : wal[i].node = n /\ wal[i].epoch = l.epoch
                          /\ UNCHANGED vars
      [] l.is = "released" -> mine[n] = 0 /\ UNCHANGED vars
      [] l.is = "doubt" -> /\ does[n] \in {"writes", "commits"}
                           /\ CutEarly(n) \/ CutLate(n) \/ CancelledWait(n)
      [] l.is = "in" -> AskConfirmed(n) /\ acked' # acked
      [] l.is = "out" -> AskConfirmed(n) /\ acked' = acked

\* The log of the shard is closed, or the process is killed. The backend of a commit goes on.
Forgets(n) ==
    /\ mine' = [mine EXCEPT ![n] = 0]
    /\ does' = [does EXCEPT ![n] = "nothing"]
    /\ lock' = IF lock = n /\ ~waiting THEN None ELSE lock
    /\ UNCHANGED <<wal, waiting, copied, group, acked, refused, groups, failovers>>

\* Steps that leave no record.
Hidden(n) ==
    \/ /\ \/ HasRow /\ Rows[row].is = "write" /\ Rows[row].by = n
          \/ HasLine(n) /\ Lines(n)[line[n]].is = "doubt"
       /\ Begin(n) /\ does'[n] = "writes"
    \/ Confirm(n) \/ Forgets(n) \/ AskCancelled(n)
    \/ (does[n] \in {"claims", "asks"} /\ CutLate(n))
    \/ (Ask(n) /\ wal' = wal)

TraceNext ==
    /\ shard' = shard
    /\ \/ (HasRow /\ Row(Rows[row]) /\ row' = row + 1 /\ line' = line)
       \/ \E n \in Nodes :
             /\ HasLine(n) /\ Line(n, Lines(n)[line[n]])
             /\ line' = [line EXCEPT ![n] = line[n] + 1] /\ row' = row
       \/ /\ BackendEnds \/ (\E s \in Standbys : Copy(s)) \/ (\E n \in Nodes : Hidden(n))
          /\ UNCHANGED <<row, line>>

TraceSpec == TraceInit /\ [][TraceNext]_traceVars

RECURSIVE Sum(_)
Sum(s) == IF s = {} THEN 0 ELSE LET n == CHOOSE e \in s : TRUE IN line[n] + Sum(s \ {n})
Place == row + Sum(Nodes)

ASSUME \A k \in 1..Len(Shards) : TLCSet(k, 0)

\* Holds always: it prints how far each shard was explained.
Progress ==
    /\ Place > TLCGet(shard) => TLCSet(shard, Place) /\ PrintT(<<"reached", Shards[shard].number, row, line>>)
    /\ (~HasRow /\ (\A n \in Nodes : ~HasLine(n))) => PrintT(<<"explained", Shards[shard].number>>)
=============================================================================
