// SettingsResources: objects that an engine makes of connection settings.

/// An engine makes such objects once, and uses them for each connection. Only that engine looks inside.
package protocol SettingsResources: AnyObject, Sendable {}
