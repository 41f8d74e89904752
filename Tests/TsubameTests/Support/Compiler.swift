// Compiler: type-checks a few lines that use this library.

import Foundation
import Synchronization

/// The output of `swiftc -typecheck` for a source.
struct Verification: Sendable {
    let accepts: Bool
    let text: String
}

enum Compiler {
    struct Missing: Error, CustomStringConvertible {
        let description: String
    }

    /// Type-checks `source` against the modules of this build.
    /// - Parameter stubs: the files of which modules are made first, by the name of the module. They come before the
    ///   modules of this build.
    static func check(_ source: String, stubs: [String: String] = [:]) async throws -> Verification {
        let build = try buildFolder()
        let folder = FileManager.default.temporaryDirectory.appending(path: "tsubame-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let shared =
            ["-swift-version", "6", "-I", folder.path, "-I", build.appending(path: "Modules").path]
            + moduleMaps(of: build).flatMap { ["-Xcc", "-fmodule-map-file=\($0)"] }
        for (module, file) in stubs {
            let path = folder.appending(path: "\(module).swiftmodule").path
            let made = try await run(
                ["-emit-module", "-parse-as-library", "-module-name", module, "-o", path] + shared + [file], in: folder)
            guard made.accepts else { return made }
        }
        let file = folder.appending(path: "source.swift")
        try Data(source.utf8).write(to: file)
        return try await run(["-typecheck"] + shared + [file.path], in: folder)
    }

    private static func run(_ arguments: [String], in folder: URL) async throws -> Verification {
        let output = folder.appending(path: "output-\(UUID().uuidString)")
        try Data().write(to: output)
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["swiftc"] + arguments
        let handle = try FileHandle(forWritingTo: output)
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = handle
        process.standardError = handle
        let status = try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do {
                try process.run()
            } catch {
                continuation.resume(throwing: error)
            }
        }
        let text = String(decoding: try Data(contentsOf: output), as: UTF8.self)
        return Verification(accepts: status == 0, text: text)
    }

    /// The folder of the modules, beside the test bundle or its runner.
    private static func buildFolder() throws -> URL {
        let bundles = Bundle.allBundles.filter { $0.bundlePath.hasSuffix(".xctest") }.map(\.bundleURL)
        let runners = [Bundle.main.executableURL, CommandLine.arguments.first.map { URL(filePath: $0) }]
        let folders = (bundles + runners.compactMap(\.self))
            .map { $0.resolvingSymlinksInPath().deletingLastPathComponent() }
        let found = folders.first {
            FileManager.default.fileExists(atPath: $0.appending(path: "Modules/Tsubame.swiftmodule").path)
        }
        guard let found else { throw Missing(description: "no modules in \(folders.map(\.path))") }
        return found
    }

    /// The C modules that the library imports: made by SwiftPM, beside the headers of a checkout, or our own.
    private static func moduleMaps(of build: URL) -> [String] {
        let made = entries(of: build).filter { $0.pathExtension == "build" }.map {
            $0.appending(path: "module.modulemap")
        }
        let scratch = [
            build.deletingLastPathComponent(), build.deletingLastPathComponent().deletingLastPathComponent(),
        ]
        let given = scratch.map { $0.appending(path: "checkouts") }.flatMap(entries)
            .flatMap { entries(of: $0.appending(path: "Sources")) }.map {
                $0.appending(path: "include/module.modulemap")
            }
        let root = (0..<4).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
        let own = entries(of: root.appending(path: "Sources")).map { $0.appending(path: "module.modulemap") }
        return (made + given + own).map(\.path).filter { FileManager.default.fileExists(atPath: $0) }
    }

    private static func entries(of folder: URL) -> [URL] {
        (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
    }
}
