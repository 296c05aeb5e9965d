/// The parts that all daily reports have: the reporter, the names of the mail, and the packed file.
package org.slipstream.auth.report;
