/// What the API asks the server for, an interface for each topic, and the records of the answers.
package org.slipstream.admin.operations;
