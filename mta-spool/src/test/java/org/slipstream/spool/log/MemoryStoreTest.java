package org.slipstream.spool.log;

class MemoryStoreTest extends LogStoreContract {
    private final MemoryStore.Disk disk = new MemoryStore.Disk();

    @Override
    LogStore claim() {
        return MemoryStore.claim(disk);
    }

    @Override
    LogStore toLook() {
        return MemoryStore.toLook(disk);
    }
}
