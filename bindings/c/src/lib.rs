//! libstowplan.
