// SoakTests: each run of `make soak`, in short.

import Foundation
import Testing

@Suite(.serialized) struct SoakTests {
    /// After the name of a run stand its calls, clients or readers, and then a seed or seconds.
    @Test(arguments: [
        // With seed 3, calls hung while a request could be begun on a closed connection.
        ["faults", "1500", "1"], ["faults", "1500", "3"], ["at-once", "300", "3"], ["in-a-row", "1000"],
        ["clients", "150"],
        ["slow-readers", "150", "3"], ["deadlines", "110"], ["server"], ["resolver"],
    ])
    func `a short run keeps its promises`(_ arguments: [String]) async throws {
        expectPromisesKept(try await runProduct("Soak", ["--quick"] + arguments, limit: .seconds(240)))
    }

    @Test(.enabled("a program may mount a file system in a namespace of its own") { await Self.mayMount() })
    func `BAD-INPUT 42: a full disk is survived`() async throws {
        try await withFolder { folder in
            let soak = try BuiltProducts.url(of: "Soak").path
            let commands = "mount -t tmpfs -o size=2m none \(folder.path) && exec \(soak) --quick disk \(folder.path)"
            expectPromisesKept(
                try await runProduct("/usr/bin/unshare", ["-rm", "sh", "-c", commands], limit: .seconds(120)))
        }
    }

    @Test(.enabled("a program may mount a file in a namespace of its own") { await Self.mayMount() })
    func `the system's resolver may fail for a while`() async throws {
        try await withFolder { folder in
            // No server of names listens there.
            let files = ["hosts": "", "resolv.conf": "nameserver 127.0.0.9\noptions timeout:1 attempts:1\n"]
            for (name, text) in files { try Data(text.utf8).write(to: folder.appending(path: name)) }
            let soak = try BuiltProducts.url(of: "Soak").path
            let mounts = files.keys.map { "mount --bind \(folder.path)/\($0) /etc/\($0)" }.joined(separator: " && ")
            expectPromisesKept(
                try await runProduct(
                    "/usr/bin/unshare", ["-rm", "sh", "-c", "\(mounts) && exec \(soak) --quick names \(folder.path)"],
                    limit: .seconds(120)))
        }
    }

    private static func mayMount() async -> Bool {
        let run = try? await runProduct("/usr/bin/unshare", ["-rm", "mount", "-t", "tmpfs", "none", "/mnt"])
        return run?.status == 0
    }

    @Test func `a jump of the clock is survived`() async throws {
        try await withFolder { folder in
            let library = folder.appending(path: "clock-jump.so").path
            let source = URL(filePath: #filePath).appending(path: "../../../clock-jump.c").standardized.path
            // The compiler of the Swift toolchain; there may be no other.
            let compile =
                #"exec "$(dirname "$(readlink -f "$(command -v swift)")")/clang" -shared -fPIC -O1 -o "$0" "$1""#
            let compiler = try await runProduct("/bin/sh", ["-c", compile, library, source])
            #expect(compiler.status == 0, "\(compiler.shown)")
            expectPromisesKept(
                try await runProduct("Soak", ["--quick", "clock"], environment: ["LD_PRELOAD": library]))
        }
    }

    private func expectPromisesKept(_ run: ProductRun) {
        #expect(run.status == 0, "\(run.shown)")
        #expect(run.lines.contains { $0.hasPrefix("kept: ") } && !run.stdout.contains("BROKEN"), "\(run.shown)")
    }

    @Test func `a word that names no run is an error`() async throws {
        let run = try await runProduct("Soak", ["nonsense"])
        #expect(run.status == 64 && run.stderr.hasPrefix("usage: Soak"))
    }
}
