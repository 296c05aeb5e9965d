/// The register: what is queued, for whom, since when, due when, with what outcome. Rows in H2 through JDBC.
///
/// The only truth about delivery. It holds no letter, but names the place where each one lies.
package org.slipstream.spool.register;
