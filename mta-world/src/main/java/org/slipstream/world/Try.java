package org.slipstream.world;
import java.nio.file.*;import java.util.*;
public final class Try { public static void main(String[] a) throws Exception { 
 System.out.println(String.join("\u0001", WorldProcess.command(Path.of("/tmp/oE"), "org.slipstream.world.WorldMain", List.of(a)))); } }
