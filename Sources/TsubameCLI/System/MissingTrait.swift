// MissingTrait: the error of a command that this build of the tool does not contain.

struct MissingTrait: Error, CustomStringConvertible {
    let command: String
    /// The trait of the package that brings the command's module.
    let trait: String

    var description: String {
        "\(command) needs the package trait \(trait), and this build has none. "
            + "Build the tool with: swift build --traits defaults,\(trait) --product tsubame"
    }
}
