package org.slipstream.cluster;

import java.sql.SQLException;

/// The formats of what nodes share that a program can read and write: the tables of the cluster, the records of the
/// logs, and the messages between nodes. Two versions of the program run beside each other during an upgrade, so the
/// cluster has one format in force, in the table `format`, and it is the one that all nodes know.
///
/// A version that writes something new writes it only from a greater format on. An addition that an earlier program
/// passes over, such as a further column with a default or an optional field of a message, needs no new format.
///
/// @param oldest format that the program can still write
/// @param newest format that it knows
record ClusterFormat(int oldest, int newest) {
    /// Of this program.
    static final ClusterFormat OWN = new ClusterFormat(1, 1);

    /// The format of a cluster is none of those.
    static final class FormatException extends SQLException {
        private static final long serialVersionUID = 1L;

        private FormatException(String message) {
            super(message);
        }
    }

    void require(int inForce) throws FormatException {
        if (inForce > newest) {
            throw new FormatException("the cluster has format " + inForce + ", and this program knows formats up to "
                    + newest + ": install the version that the other nodes have (mta cluster status)");
        }
        if (inForce < oldest) {
            throw new FormatException("the cluster has format " + inForce + ", and this program writes formats from "
                    + oldest + " on: upgrade all nodes to a version between the two first, one after the other");
        }
    }
}
