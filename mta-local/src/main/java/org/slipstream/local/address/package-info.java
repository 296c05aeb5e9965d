/// The addresses of this server: its domains, mailboxes and aliases ([AddressBook]), the addresses that
/// are replaced ([AddressRewriting]), and the copies of mail ([MailCopies]).
package org.slipstream.local.address;
