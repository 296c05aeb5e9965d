/// The orders of operators: one record for each verb. The command line, the API with its description, the manual pages
/// and the queue manager use them as they are declared here.
package org.slipstream.core.order;
