/// `mta.toml`: its keys, declared at the components of records ([ServerSchema]), the reader that reports
/// every mistake at once ([ConfigReader]), and the result ([Config]).
package org.slipstream.config;
