/// The questions and orders of the API to the server, an interface for each topic, and the records of
/// the answers.
package org.slipstream.admin.operations;
