------------------------------- MODULE Ownership -------------------------------
(* One shard whose log is in PostgreSQL, and the nodes that want to own it.

   The question: can a group of messages that was answered with 250 be lost, and can two nodes
   write under one epoch? The answer has to be no, whatever the clocks do. So this module has no
   clock at all: a node may claim the shard at any time, as if every lease were over.
   Lease.tla has the clocks.

   The database is its WAL. A transaction writes the row of the shard first, and so holds the
   lock of that row until it ends: the WAL of the shard is a sequence of whole transactions.
   A commit waits for a standby while it holds the lock, and nobody sees it. Three faults of real
   databases are in here: the wait can be cancelled, and the commit returns with a warning only;
   a connection can be cut at any step, and the backend ends the commit later; the primary can be
   lost, and a standby is promoted with what it had.

   The constants below that are TRUE in the server can be made FALSE, one at a time. TLC then
   finds the history in which mail is lost. That is the proof that they are needed. *)
EXTENDS Naturals, Sequences, FiniteSets

CONSTANTS
    Nodes,
    Standbys,
    MostEpochs,
    MostGroups,
    MostFailovers,
    MostEntries,        \* of the WAL, so that a run ends
    ChecksEpoch,        \* the first statement of a group checks the epoch
    AsksAfterACut,      \* after a cut or a warning the node asks before it answers a client
    AsksByAWrite,       \* ... and its question is a write that waits for a standby, too
    WarningsCount,      \* a commit with a warning is no commit
    PromotesTheNewest   \* the standby with the most WAL is promoted

None == "none"

VARIABLES
    wal,        \* what the primary has written: [kind, node, epoch, group]
    waiting,    \* the last entry waits for a standby; it is invisible, and the row is locked
    copied,     \* copied[s]: the length of the WAL that standby s has on disk
    lock,       \* the node whose transaction holds the row
    mine,       \* mine[n]: the epoch under which n believes to own the shard; 0: it does not
    does,       \* does[n]: what n is about
    group,      \* group[n]: the group that n writes
    acked,      \* groups whose clients were told 250
    refused,    \* groups whose clients were told 451; they send again
    groups,     \* number of groups that were begun
    failovers

vars == <<wal, waiting, copied, lock, mine, does, group, acked, refused, groups, failovers>>

Visible == IF waiting THEN Len(wal) - 1 ELSE Len(wal)
Epoch == IF Visible = 0 THEN 0 ELSE wal[Visible].epoch
Written == {wal[i].group : i \in {j \in 1..Visible : wal[j].kind = "group"}}
Confirmed == \E s \in Standbys : copied[s] = Len(wal)
Free == lock = None /\ ~waiting

Init ==
    /\ wal = <<>> /\ waiting = FALSE
    /\ copied = [s \in Standbys |-> 0]
    /\ lock = None
    /\ mine = [n \in Nodes |-> 0]
    /\ does = [n \in Nodes |-> "nothing"]
    /\ group = [n \in Nodes |-> 0]
    /\ acked = {} /\ refused = {}
    /\ groups = 0 /\ failovers = 0

Writes(n, kind, epoch, id) ==
    /\ wal' = Append(wal, [kind |-> kind, node |-> n, epoch |-> epoch, group |-> id])
    /\ waiting' = TRUE
    /\ lock' = n

Unlocks == waiting' = FALSE /\ lock' = None

----------------------------------------------------------------------------
(* Ownership *)

Claim(n) ==
    /\ does[n] = "nothing" /\ mine[n] = 0 /\ Free /\ Epoch < MostEpochs
    /\ Writes(n, "claim", Epoch + 1, 0)
    /\ does' = [does EXCEPT ![n] = "claims"]
    /\ UNCHANGED <<copied, mine, group, acked, refused, groups, failovers>>

ClaimConfirmed(n) ==
    /\ does[n] = "claims" /\ lock = n /\ waiting /\ Confirmed
    /\ mine' = [mine EXCEPT ![n] = wal[Len(wal)].epoch]
    /\ does' = [does EXCEPT ![n] = "nothing"]
    /\ Unlocks
    /\ UNCHANGED <<wal, copied, group, acked, refused, groups, failovers>>

\* A node may believe that it has lost the shard at any time between two groups: its lease is over.
GivesUp(n) ==
    /\ does[n] = "nothing" /\ mine[n] > 0
    /\ mine' = [mine EXCEPT ![n] = 0]
    /\ UNCHANGED <<wal, waiting, copied, lock, does, group, acked, refused, groups, failovers>>

----------------------------------------------------------------------------
(* A group *)

Begin(n) ==
    /\ does[n] = "nothing" /\ mine[n] > 0 /\ Free /\ groups < MostGroups
    /\ groups' = groups + 1
    /\ IF ChecksEpoch /\ Epoch # mine[n]
       THEN /\ mine' = [mine EXCEPT ![n] = 0]
            /\ refused' = refused \cup {groups + 1}
            /\ UNCHANGED <<lock, does, group>>
       ELSE /\ lock' = n
            /\ does' = [does EXCEPT ![n] = "writes"]
            /\ group' = [group EXCEPT ![n] = groups + 1]
            /\ UNCHANGED <<mine, refused>>
    /\ UNCHANGED <<wal, waiting, copied, acked, failovers>>

Commit(n) ==
    /\ does[n] = "writes" /\ lock = n
    /\ Writes(n, "group", mine[n], group[n])
    /\ does' = [does EXCEPT ![n] = "commits"]
    /\ UNCHANGED <<copied, mine, group, acked, refused, groups, failovers>>

Confirm(n) ==
    /\ does[n] = "commits" /\ lock = n /\ waiting /\ Confirmed
    /\ Unlocks
    /\ acked' = acked \cup {group[n]}
    /\ does' = [does EXCEPT ![n] = "nothing"]
    /\ UNCHANGED <<wal, copied, mine, group, refused, groups, failovers>>

\* pg_cancel_backend, or a shutdown: the commit returns, with SQLWarning 01000.
CancelledWait(n) ==
    /\ does[n] = "commits" /\ lock = n /\ waiting
    /\ Unlocks
    /\ IF WarningsCount
       THEN does' = [does EXCEPT ![n] = "unsure"] /\ UNCHANGED acked
       ELSE does' = [does EXCEPT ![n] = "nothing"] /\ acked' = acked \cup {group[n]}
    /\ UNCHANGED <<wal, copied, mine, group, refused, groups, failovers>>

----------------------------------------------------------------------------
(* Connections that are cut, and the question after it *)

\* Before COMMIT has arrived: the database aborts.
CutEarly(n) ==
    /\ does[n] = "writes" /\ lock = n
    /\ lock' = None
    /\ does' = [does EXCEPT ![n] = "unsure"]
    /\ UNCHANGED <<wal, waiting, copied, mine, group, acked, refused, groups, failovers>>

\* After it: the backend goes on waiting, and holds the row.
CutLate(n) ==
    /\ lock = n /\ waiting
    /\ \/ does[n] \in {"commits", "asks"} /\ does' = [does EXCEPT ![n] = "unsure"]
       \/ does[n] = "claims" /\ does' = [does EXCEPT ![n] = "nothing"]
    /\ UNCHANGED <<wal, waiting, copied, lock, mine, group, acked, refused, groups, failovers>>

\* The backend of a connection that nobody has any more: confirmed, or terminated.
BackendEnds ==
    /\ waiting /\ lock # None
    /\ does[lock] \in {"unsure", "nothing"}
    /\ Unlocks
    /\ UNCHANGED <<wal, copied, mine, does, group, acked, refused, groups, failovers>>

Answers(n, isIn) ==
    /\ does' = [does EXCEPT ![n] = "nothing"]
    /\ IF isIn
       THEN acked' = acked \cup {group[n]} /\ UNCHANGED refused
       ELSE refused' = refused \cup {group[n]} /\ UNCHANGED acked

Ask(n) ==
    /\ does[n] = "unsure" /\ Free
    /\ CASE ~AsksAfterACut ->
              Answers(n, TRUE) /\ UNCHANGED <<wal, waiting, lock, mine>>
         [] AsksAfterACut /\ ChecksEpoch /\ Epoch # mine[n] ->
              /\ Answers(n, FALSE)
              /\ mine' = [mine EXCEPT ![n] = 0]
              /\ UNCHANGED <<wal, waiting, lock>>
         [] OTHER ->
              IF AsksByAWrite
              THEN /\ Writes(n, "ask", mine[n], 0)
                   /\ does' = [does EXCEPT ![n] = "asks"]
                   /\ UNCHANGED <<mine, acked, refused>>
              ELSE Answers(n, group[n] \in Written) /\ UNCHANGED <<wal, waiting, lock, mine>>
    /\ UNCHANGED <<copied, group, groups, failovers>>

AskConfirmed(n) ==
    /\ does[n] = "asks" /\ lock = n /\ waiting /\ Confirmed
    /\ Answers(n, group[n] \in Written)
    /\ Unlocks
    /\ UNCHANGED <<wal, copied, mine, group, groups, failovers>>

AskCancelled(n) ==
    /\ does[n] = "asks" /\ lock = n /\ waiting
    /\ does' = [does EXCEPT ![n] = "unsure"]
    /\ Unlocks
    /\ UNCHANGED <<wal, copied, mine, group, acked, refused, groups, failovers>>

----------------------------------------------------------------------------
(* The database *)

Copy(s) ==
    /\ copied[s] < Len(wal)
    /\ copied' = [copied EXCEPT ![s] = copied[s] + 1]
    /\ UNCHANGED <<wal, waiting, lock, mine, does, group, acked, refused, groups, failovers>>

Least(a, b) == IF a < b THEN a ELSE b

\* The primary is lost. Its place among the standbys is taken by an empty one.
Promote(s) ==
    /\ failovers < MostFailovers
    /\ PromotesTheNewest => \A t \in Standbys : copied[t] <= copied[s]
    /\ wal' = SubSeq(wal, 1, copied[s])
    /\ waiting' = FALSE /\ lock' = None
    /\ copied' = [t \in Standbys |-> IF t = s THEN 0 ELSE Least(copied[t], copied[s])]
    /\ does' = [n \in Nodes |->
                   CASE does[n] \in {"writes", "commits", "asks"} -> "unsure"
                     [] does[n] = "claims" -> "nothing"
                     [] OTHER -> does[n]]
    /\ failovers' = failovers + 1
    /\ UNCHANGED <<mine, group, acked, refused, groups>>

Next ==
    \/ \E n \in Nodes :
          \/ Claim(n) \/ ClaimConfirmed(n) \/ GivesUp(n)
          \/ Begin(n) \/ Commit(n) \/ Confirm(n) \/ CancelledWait(n)
          \/ CutEarly(n) \/ CutLate(n) \/ Ask(n) \/ AskConfirmed(n) \/ AskCancelled(n)
    \/ \E s \in Standbys : Copy(s) \/ Promote(s)
    \/ BackendEnds

Spec == Init /\ [][Next]_vars

Bounded == Len(wal) <= MostEntries

----------------------------------------------------------------------------
(* What has to hold *)

\* 250 means: it is in the log. Also after the primary was lost.
AcknowledgedIsKept == acked \subseteq {wal[i].group : i \in 1..Len(wal)}

\* Entries that change the log: groups.
GroupEntries == {i \in 1..Len(wal) : wal[i].kind = "group"}

OneWriterOfAnEpoch ==
    \A i, j \in GroupEntries : wal[i].epoch = wal[j].epoch => wal[i].node = wal[j].node

EpochsNeverFall == \A i, j \in 1..Len(wal) : i < j => wal[i].epoch <= wal[j].epoch

NoGroupTwice == \A i, j \in GroupEntries : wal[i].group = wal[j].group => i = j

\* A client that was told 250 was not told 451, too.
OneAnswer == acked \cap refused = {}
=============================================================================
