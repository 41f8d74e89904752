// SharedLibrary: a library of the system that is loaded at run time instead of being linked.

/// A library that was found stays loaded for as long as the process runs. A binary that cannot load libraries finds
/// none, for example one that is linked statically with Musl.
package struct SharedLibrary: Sendable {
    // The handle belongs to the dynamic linker, and any thread may look up symbols with it.
    private nonisolated(unsafe) let handle: UnsafeMutableRawPointer

    /// - Parameters:
    ///   - name: the library's name without `lib` and without the suffix that the system appends.
    ///   - version: the version of the library's binary interface. A library with another version is not loaded.
    package init?(_ name: String, version: Int) {
        #if canImport(Darwin)
        // First the app's own libraries. A library of another maker is refused unless the app allows it. A bare name would
        // make the dynamic linker look into the working folder.
        let folders = ["@rpath", "/opt/homebrew/lib", "/usr/local/lib"]
        let paths = folders.map { "\($0)/lib\(name).\(version).dylib" }
        #else
        let paths = ["lib\(name).so.\(version)"]
        #endif
        #if canImport(Glibc) || canImport(Musl) || canImport(Android) || canImport(Darwin)
        guard let handle = paths.lazy.compactMap({ dlopen($0, RTLD_LAZY | RTLD_LOCAL) }).first else { return nil }
        self.handle = handle
        #else
        return nil
        #endif
    }

    /// A function by its name; nil if the library does not have it.
    /// - Parameter type: a `@convention(c)` function type, exactly as the library's header declares it.
    package func function<Function>(_ name: String, as type: Function.Type) -> Function? {
        #if canImport(Glibc) || canImport(Musl) || canImport(Android) || canImport(Darwin)
        dlsym(handle, name).map { unsafeBitCast($0, to: type) }
        #else
        nil
        #endif
    }
}
