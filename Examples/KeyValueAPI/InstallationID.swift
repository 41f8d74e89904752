// InstallationID: a random identifier of this installation, kept in a file.

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The identifier of this installation: a random UUID that is made once and kept in a file.
public struct InstallationID: Sendable, Hashable {
    /// The identifier as it is sent.
    public let value: String

    /// Makes an identifier from a value that the program stores itself.
    public init(value: String) { self.value = value }

    /// Reads the identifier from the file `installation-id` in `folder`. The first call creates the folder and the
    /// file.
    /// - Throws: the error of creating the folder or the file.
    public static func stored(in folder: URL) throws -> InstallationID {
        let file = folder.appending(path: "installation-id")
        if let text = try? String(contentsOf: file, encoding: .utf8), let id = UUID(uuidString: text) {
            return InstallationID(value: id.uuidString)
        }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let made = UUID().uuidString
        // Two processes may create the identifier at once. The first link wins, and the other process reads its
        // value.
        let temporary = folder.appending(path: "installation-id.\(made)")
        try Data(made.utf8).write(to: temporary)
        defer { try? FileManager.default.removeItem(at: temporary) }
        do {
            try FileManager.default.linkItem(at: temporary, to: file)
        } catch {
            guard let text = try? String(contentsOf: file, encoding: .utf8), let id = UUID(uuidString: text) else {
                try Data(made.utf8).write(to: file, options: .atomic)
                return InstallationID(value: made)
            }
            return InstallationID(value: id.uuidString)
        }
        return InstallationID(value: made)
    }

    /// Reads or creates the identifier in the user's data folder, in a subfolder of the given name. The data folder
    /// is `$XDG_DATA_HOME` if it is an absolute path; otherwise `~/.local/share` on Linux and Application Support
    /// on Apple's systems.
    /// - Throws: the error of creating the folder or the file.
    public static func stored(for application: String) throws -> InstallationID {
        try stored(in: dataFolder.appending(path: application))
    }

    private static var dataFolder: URL {
        if let given = ProcessInfo.processInfo.environment["XDG_DATA_HOME"], given.hasPrefix("/") {
            return URL(filePath: given)
        }
        #if canImport(Darwin)
        return URL.applicationSupportDirectory
        #else
        return URL.homeDirectory.appending(path: ".local/share")
        #endif
    }
}
